import { person } from '../http/callers/callers.ts'
import { Nothing } from '../http/input/fields.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json } from '../http/output/output.ts'
import { SetSkills, Skills } from './schema.ts'
import { readSkills, setSkills } from './skills.ts'

const area = 'Account'
const path = '/account/v1/skills'
const example = { hobbies: ['gliding'], skills: ['radio navigation', 'night flying'] }

export const skillOperations: readonly Operation[] = [
  operation({
    name: 'readSkills',
    summary: "Reads the person's hobbies and skills",
    description: 'Both lists are in the words of the person. They are empty until somebody has set them.',
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
    summary: "Sets the person's hobbies and skills",
    description:
      'A list that is given replaces the one before; a list that is left out stays. Each holds up to 50 different texts of up to 100 characters.',
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
