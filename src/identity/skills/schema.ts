import { type Static, Type } from 'typebox'

const names = (description: string, maxLength: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { description, maxItems: 50, uniqueItems: true })

const fields = {
  hobbies: names('What the user likes to do, in their own words', 100),
  skills: names('What the user can do, in their own words', 100),
  afsc: Type.String({
    maxLength: 100,
    description: 'Air Force Specialty Code, or the equivalent of another service',
  }),
  education: names('Schools and degrees, in their own words', 200),
}

export const SetSkills = Type.Partial(Type.Object(fields))
export type SetSkills = Static<typeof SetSkills>
export const Skills = Type.Object(fields, { title: 'Skills' })
export type Skills = Static<typeof Skills>
