# The number of an image address's registers is in the image's descriptor on gfx9: those behind the first count as not read.
# targets: gfx900 gfx90a
# finding: certain read-early
    image_load v3, v2, s[0:7] dmask:0x1 unorm
    image_store v0, v2, s[8:15] dmask:0x1 unorm
+   s_waitcnt vmcnt(0)
>   image_store v0, v3, s[8:15] dmask:0x1 unorm
    s_endpgm
