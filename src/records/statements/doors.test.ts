import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const here = import.meta.dirname
const source = here.slice(0, here.lastIndexOf('/src/') + 5)
const isProduct = (file: string): boolean => !/\.test\.ts$|\/testing|\/room\.ts$/.test(file)

/** All imports of files in this folder, from anywhere in the source. Both paths are relative to this folder. */
const imports = globSync(join(source, '**/*.ts'))
  .filter(isProduct)
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, path]) => ({
      from: relative(here, file),
      to: relative(here, join(dirname(file), path!)),
    })),
  )
  .filter(({ to }) => !to.startsWith('..'))

test('other rooms import statements only through its front door, the door of a part, a schema, or the model', () => {
  const fromOutside = imports.filter(({ from }) => from.startsWith('..'))
  assert.ok(fromOutside.length > 30)
  const isDoor = (file: string) =>
    /^(statements|room)\.ts$/.test(file) ||
    /^(\w+)\/\1\.ts$/.test(file) ||
    /^\w+\/schema\.ts$/.test(file) ||
    /^model\//.test(file)
  assert.deepEqual(
    fromOutside.filter(({ to }) => !isDoor(to)),
    [],
  )
})

test('a part imports only earlier parts, so there is no cycle', () => {
  const order =
    'model faults blocks attachments storing query facts retention verbs linking capture recording statements.ts'.split(
      ' ',
    )
  const inside = imports.filter(({ from }) => !from.startsWith('..') && !from.startsWith('store.ts'))
  assert.ok(inside.length > 80)
  const placeOf = (file: string) => {
    const part = file.split('/')[0]!
    assert.ok(part === 'store.ts' || order.includes(part), `${part} is not in the order`)
    return part === 'store.ts' ? order.length - 1 : order.indexOf(part)
  }
  assert.deepEqual(
    inside.filter(({ from, to }) => placeOf(to) > placeOf(from)),
    [],
  )
})
