import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { PASSWORD } from '../../kernel/samples.ts'
import { exportEverything } from './exports.ts'
import { Export } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const exportOperations: readonly Operation[] = [
  op('POST /account/v1/export', {
    name: 'exportEverything',
    summary: 'Downloads everything that the platform keeps about the person, as a zip of JSON files; one at a time',
    description:
      'Send the password of the person; the answer is one zip file, and `README.txt` in it says what each part is. It is streamed, so its length is not known beforehand. A person can have one download at a time; the next one waits for it.',
    example: { request: { password: PASSWORD } },
    input: Export,
    output: { kind: 'file', mediaType: 'application/zip', headers: { 'Content-Disposition': 'The name of the file' } },
    errors: ['wrongCredentials'],
    run: ({ db, who, environment }, input) => exportEverything(db, who, input, environment),
  }),
]
