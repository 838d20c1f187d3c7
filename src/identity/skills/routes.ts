import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { SetSkills, Skills } from './schema.ts'
import { readSkills, setSkills } from './skills.ts'

const op = operationsIn({ area: 'Account', who: person })

const example = {
  hobbies: ['gliding'],
  skills: ['radio navigation', 'night flying'],
  afsc: '11F3',
  education: ['BSc Aeronautics, Lund'],
}

export const skillOperations: readonly Operation[] = [
  op('GET /account/v1/skills', {
    name: 'readSkills',
    summary: 'Get your skills',
    description:
      "Returns the caller's hobbies, skills and education, in their own words. The lists are empty until they are set.",
    example: { after: 'setSkills' },
    input: Nothing,
    output: json(Skills),
    run: ({ db, who }) => readSkills(db, who.personId),
  }),
  op('PUT /account/v1/skills', {
    name: 'setSkills',
    summary: 'Update your skills',
    description:
      "Sets the caller's hobbies, skills and education: fields that are sent replace the stored ones, and all others stay the same. A list holds up to 50 different texts of up to 100 characters, or up to 200 in `education`. AI plugins of the caller's organisations can read it, if an administrator allows that.",
    example: { request: example },
    input: SetSkills,
    output: json(Skills),
    run: ({ db, who }, input) => setSkills(db, who, input),
  }),
]
