import { type Static, Type } from 'typebox'

const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { description, maxItems: 50, uniqueItems: true })

const fields = {
  hobbies: names('What the person likes to do, in their own words'),
  skills: names('What the person can do, in their own words'),
}

export const SetSkills = Type.Partial(Type.Object(fields))
export type SetSkills = Static<typeof SetSkills>
export const Skills = Type.Object(fields, { title: 'Skills' })
export type Skills = Static<typeof Skills>
