/**
 * V8 flags for `npx groundschool start`, also used by the benchmark: garbage is collected later, which is faster.
 * docs/benchmarks.md has the figures. Other commands run without these flags. `gc` is for `start`, which collects once
 * when it is ready.
 */
export const START_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=100', '--expose-gc']

/**
 * Environment of `npx groundschool start`: settings of glibc's allocator. By default, it keeps freed memory in an arena
 * for each thread, and never returns memory from the middle of the heap. Other C libraries ignore them.
 */
export const START_ENV = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
}
