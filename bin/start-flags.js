/**
 * V8 flags of the platform, also used by the benchmark: garbage is collected later, which is faster.
 * docs/benchmarks.md has the figures. Commands other than start run without them.
 */
export const START_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=150']
