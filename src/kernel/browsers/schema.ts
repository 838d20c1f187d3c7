import { Type } from 'typebox'

/** The signed-in person. */
export const Me = Type.Object({ handle: Type.String(), name: Type.String() }, { title: 'Me' })
