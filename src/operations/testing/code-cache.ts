import { fileURLToPath } from 'node:url'

/** Where compiled code is kept, also that of the platform itself: most test processes load all of it. */
export const CODE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/groundschool', import.meta.url))
