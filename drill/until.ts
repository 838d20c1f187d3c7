const LOOK_EVERY_MS = 200

/** Waits until a condition holds. Throws a sentence about it after the time limit. */
export async function until(
  what: string | (() => string),
  holds: () => Promise<boolean>,
  timeoutMs = 180_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`After ${timeoutMs / 1000} s it is not true that ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
