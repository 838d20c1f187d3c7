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
    summary: "Reads the person's hobbies, skills and education",
    description: 'Everything is in the person’s own words. It is empty until they set it.',
    example: { after: 'setSkills' },
    input: Nothing,
    output: json(Skills),
    run: ({ db, who }) => readSkills(db, who.personId),
  }),
  op('PUT /account/v1/skills', {
    name: 'setSkills',
    summary: "Sets the person's hobbies, skills and education",
    description:
      'Fields that are sent replace the old ones; the rest stays. A list holds up to 50 different texts of up to 100 characters, in `education` of up to 200. AI plugins of the organisations that the person belongs to can read it, where an administrator allows that.',
    example: { request: example },
    input: SetSkills,
    output: json(Skills),
    run: ({ db, who }, input) => setSkills(db, who, input),
  }),
]
