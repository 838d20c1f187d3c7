import { Type } from 'typebox'

/** Who is signed in. */
export const Me = Type.Object({ handle: Type.String(), name: Type.String() }, { title: 'Me' })
