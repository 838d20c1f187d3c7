import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { everything } from '../src/app.ts'
import { describeApi } from '../src/kernel/http/openapi/openapi.ts'

const document = describeApi(everything, { url: 'http://localhost:4000' })

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document) as never)
  assert.deepEqual(result.errors ?? [], [])
  assert.equal(result.valid, true)
  assert.equal(validator.version, '3.1')
  const broken = await new Validator().validate({ ...structuredClone(document), paths: { nowhere: 1 } } as never)
  assert.equal(broken.valid, false)
})
