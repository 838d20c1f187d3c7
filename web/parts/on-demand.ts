import { useEffect, useState } from 'react'

/**
 * Loads a module when it is first wanted, and returns it from then on. `lazy` and `Suspense` would show the result
 * 300 ms after the fallback at the earliest.
 */
export function useOnDemand<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<T>()
  const isMissing = isWanted && loaded === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is another function each time, and does the same
  useEffect(() => {
    if (isMissing) void load().then((module) => setLoaded(() => module))
  }, [isMissing])
  return loaded
}
