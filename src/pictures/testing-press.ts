import { registerHooks } from 'node:module'

/** A press that reads images as they were sent, with whatever `parts.ts` would leave out: as if that had a hole. */
registerHooks({
  load: (url, context, next) =>
    url.endsWith('/pictures/parts.ts')
      ? { format: 'module', shortCircuit: true, source: 'export const readParts = (image) => ({ image, scans: 1 })' }
      : next(url, context),
})
await import('./press-main.ts')
