import { Nothing } from '../http/input/fields.ts'
import { type Operation, operation } from '../http/operation.ts'
import { json } from '../http/output/output.ts'
import { recordStore } from './caller.ts'
import { describeCaller } from './credentials.ts'
import { examples } from './examples.ts'
import { StoreIdentity } from './schema.ts'

const area = 'Record store'

export const credentialOperations: readonly Operation[] = [
  operation({
    name: 'readStoreIdentity',
    summary: 'Says as whom the record store sees the caller',
    ...examples.readStoreIdentity,
    method: 'GET',
    path: '/lrs/v1/whoami',
    area,
    who: recordStore,
    role: 'whoever may speak to the record store',
    input: Nothing,
    from: 'query',
    output: json(StoreIdentity),
    errors: [],
    run: async ({ who }) => describeCaller(who),
  }),
]
