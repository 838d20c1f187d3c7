/**
 * V8 flags for `npx groundschool start`, also used by the benchmark: garbage is collected later, which is faster.
 * docs/benchmarks.md has the figures. Other commands run without these flags.
 */
export const START_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=150']
