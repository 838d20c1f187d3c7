import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { SetSkills, Skills } from './schema.ts'
import { readSkills, setSkills } from './skills.ts'

const area = 'Account'
const path = '/account/v1/skills'
const example = {
  hobbies: ['gliding'],
  skills: ['radio navigation', 'night flying'],
  afsc: '11F3',
  education: ['BSc Aeronautics, Lund'],
}

export const skillOperations: readonly Operation[] = [
  operation({
    name: 'readSkills',
    summary: "Reads the person's hobbies, skills and education",
    description: 'Everything is in the person’s own words. It is empty until they set it.',
    example: { answer: example, after: 'setSkills' },
    method: 'GET',
    path,
    area,
    who: person,
    input: Nothing,
    from: 'query',
    output: json(Skills),
    errors: [],
    run: ({ db, who }) => readSkills(db, who.personId),
  }),
  operation({
    name: 'setSkills',
    summary: "Sets the person's hobbies, skills and education",
    description:
      'Fields that are sent replace the old ones; the rest stays. A list holds up to 50 different texts of up to 100 characters, in `education` of up to 200. AI plugins of the organisations that the person belongs to can read it, where an administrator allows that.',
    example: { request: example, answer: example },
    method: 'PUT',
    path,
    area,
    who: person,
    input: SetSkills,
    from: 'body',
    output: json(Skills),
    errors: [],
    run: ({ db, who }, input) => setSkills(db, who, input),
  }),
]
