import type { Environment } from '../../environment.ts'
import type { Interface } from '../interface.ts'
import { compressedRoute } from '../output/compressed.ts'
import { JSON_TYPE } from '../output/media-types.ts'
import type { PlainRoute } from '../request.ts'
import { describeApi } from './openapi.ts'

/** Creates the route for the API's description. It has 800 kB, or a tenth of that when compressed. */
export const descriptionRoute = (environment: Environment, all: Interface): PlainRoute =>
  compressedRoute(environment, {
    path: '/openapi.json',
    name: 'openapi',
    type: JSON_TYPE,
    write: () => JSON.stringify(describeApi(all, { url: environment.url })),
  })
