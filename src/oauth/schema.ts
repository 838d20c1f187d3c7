import { Type } from 'typebox'

export const NoFields = Type.Object({})
export const EmptyAnswer = Type.Null({ description: 'The body is empty' })
