"""Writes a small llama model with seeded random weights: python3 models.py FILE

Its output layer is the embedding in another order plus a little noise, so that every token has one clear successor: what is
generated then depends on all layers, but not on the last bits of sums.
"""
import sys
import numpy
import gguf

LAYERS, WIDTH, HEADS, KV_HEADS, INNER, VOCABULARY, CONTEXT = 2, 256, 4, 2, 512, 512, 512

random = numpy.random.default_rng(20)


def weights(rows, columns, scale):
    return (random.standard_normal((rows, columns)) * scale).astype(numpy.float32)


writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_name("made up")
writer.add_context_length(CONTEXT)
writer.add_embedding_length(WIDTH)
writer.add_block_count(LAYERS)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(KV_HEADS)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_vocab_size(VOCABULARY)
writer.add_file_type(gguf.LlamaFileType.ALL_F32)

# Three control tokens, all bytes, and words that no text has.
tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
tokens += [f"\u2581w{number}" for number in range(VOCABULARY - len(tokens))]
kinds += [gguf.TokenType.NORMAL] * (VOCABULARY - len(kinds))
writer.add_tokenizer_model("llama")
writer.add_token_list(tokens)
writer.add_token_scores([-float(number) for number in range(VOCABULARY)])
writer.add_token_types(kinds)
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)

embedding = weights(VOCABULARY, WIDTH, 1.0)
successors = 3 + random.permutation(VOCABULARY - 3)
output = numpy.zeros((VOCABULARY, WIDTH), numpy.float32)
output[successors] = embedding[3:] * 0.05
writer.add_tensor("token_embd.weight", embedding)
writer.add_tensor("output.weight", output + weights(VOCABULARY, WIDTH, 0.002))
writer.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
for layer in range(LAYERS):
    block = f"blk.{layer}."
    kv_width = WIDTH // HEADS * KV_HEADS
    for name, rows, columns in [
        ("attn_q", WIDTH, WIDTH),
        ("attn_k", kv_width, WIDTH),
        ("attn_v", kv_width, WIDTH),
        ("attn_output", WIDTH, WIDTH),
        ("ffn_gate", INNER, WIDTH),
        ("ffn_up", INNER, WIDTH),
        ("ffn_down", WIDTH, INNER),
    ]:
        writer.add_tensor(f"{block}{name}.weight", weights(rows, columns, 0.5 / columns**0.5))
    for name in ("attn_norm", "ffn_norm"):
        writer.add_tensor(f"{block}{name}.weight", numpy.ones(WIDTH, numpy.float32))

writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
