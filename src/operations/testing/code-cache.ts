import { fileURLToPath } from 'node:url'

/** Directory of Node's compile cache. It helps, because most test processes load all of the platform's code. */
export const CODE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/groundschool', import.meta.url))
