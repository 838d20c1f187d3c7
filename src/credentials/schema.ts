import { type Static, Type } from 'typebox'
import { SCOPES } from './scopes.ts'

const scopes = Type.Array(Type.String({ enum: [...SCOPES] }))

export const StoreIdentity = Type.Object(
  {
    kind: Type.String({ enum: ['key', 'user', 'administrator'] }),
    key: Type.Union([Type.String(), Type.Null()], { description: 'The key, where one was sent' }),
    scopes: { ...scopes, description: 'What the caller may do; `all` stands there with every other one' },
    authority: Type.Unsafe<object>({
      type: 'object',
      description: 'The agent or group that statements of the caller get as authority',
      additionalProperties: true,
    }),
    usesLibrary: Type.Boolean({ description: 'Whether statements may only have verbs of the library' }),
  },
  { title: 'StoreIdentity' },
)
export type StoreIdentity = Static<typeof StoreIdentity>
