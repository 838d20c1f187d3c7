import { person } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { PASSWORD } from '../../kernel/samples.ts'
import { exportEverything } from './exports.ts'
import { Export } from './schema.ts'

const op = operationsIn({ area: 'Account', who: person })

export const exportOperations: readonly Operation[] = [
  op('POST /account/v1/export', {
    name: 'exportEverything',
    summary: 'Export your data',
    description:
      "Returns everything that the platform stores about the caller, as a zip of JSON files; `README.txt` in it says what each file is. Send the caller's password. The file is streamed, so its length is not known in advance, and a user can have one export at a time: the next one waits for it.",
    example: { request: { password: PASSWORD } },
    input: Export,
    output: { kind: 'file', mediaType: 'application/zip', headers: { 'Content-Disposition': 'The name of the file' } },
    errors: ['wrongCredentials'],
    mayLag: true,
    run: ({ db, who, environment }, input) => exportEverything(db, who, input, environment),
  }),
]
