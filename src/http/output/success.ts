import { Type } from 'typebox'

/** What an operation answers when it has nothing to say. */
export const SUCCESS = { success: true } as const
export const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' })
