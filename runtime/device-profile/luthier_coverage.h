/* Host interface of Luthier's device coverage, for programs that run long or want to measure parts of their run.
 *
 * The functions exist when the program runs under `luthier coverage run` or is linked with libluthier_drain.a.
 * Otherwise the references stay null, and the inline wrappers below do nothing, so calls can stay in the program.
 * The program must be linked dynamically for the weak references to find a preloaded library.
 */
#ifndef LUTHIER_COVERAGE_H
#define LUTHIER_COVERAGE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the counts of all devices so far; the file is replaced, counts are cumulative. 0 on success. */
__attribute__((weak)) int luthier_coverage_dump(void);

/* Zeroes the counters on all devices, and what was taken from unloaded code. 0 on success.
 * Kernels that run meanwhile may be counted or not. */
__attribute__((weak)) int luthier_coverage_reset(void);

static inline int luthier_coverage_dump_if_present(void) { return luthier_coverage_dump ? luthier_coverage_dump() : 0; }

static inline int luthier_coverage_reset_if_present(void) { return luthier_coverage_reset ? luthier_coverage_reset() : 0; }

#ifdef __cplusplus
}
#endif

#endif /* LUTHIER_COVERAGE_H */
