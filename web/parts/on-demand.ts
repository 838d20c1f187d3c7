import { type ComponentType, createElement, useEffect, useState } from 'react'

/**
 * Returns a component whose code is loaded when it is first shown; until then, `Waiting` is shown. It appears as soon as
 * it is loaded. With `lazy` and `Suspense`, React would show it 300 ms after the fallback at the earliest.
 */
export function onDemand<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Waiting?: ComponentType<P>,
): ComponentType<P> {
  let known: ComponentType<P> | undefined
  const loadOnce = async () => {
    known = await load()
    return known
  }
  return function OnDemand(props: P) {
    const loaded = useOnDemand(known === undefined, loadOnce)
    const Shown = known ?? loaded ?? Waiting
    return Shown && createElement(Shown, props)
  }
}

/** Loads a module when it is first wanted, and returns it from then on. A page that cannot load it shows the error. */
export function useOnDemand<T>(isWanted: boolean, load: () => Promise<T>): T | undefined {
  const [loaded, setLoaded] = useState<T>()
  const isMissing = isWanted && loaded === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is another function each time, and does the same
  useEffect(() => {
    if (!isMissing) return
    load().then(
      (module) => setLoaded(() => module),
      (error) =>
        setLoaded(() => {
          throw error
        }),
    )
  }, [isMissing])
  return loaded
}
