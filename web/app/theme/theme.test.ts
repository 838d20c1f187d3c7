import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const WEB = join(import.meta.dirname, '../..')
const STYLES = join(WEB, '../node_modules/@mantine/core/styles')
/** Components whose style sheets have other names than the component itself. */
const STYLED_BY: Readonly<Record<string, readonly string[]>> = {
  Select: ['Combobox', 'Input'],
  NativeSelect: ['Input'],
  MultiSelect: ['Combobox', 'PillsInput', 'Pill'],
  TextInput: ['Input'],
  Textarea: ['Input'],
  FileInput: ['Input'],
  Modal: ['Modal', 'ModalBase', 'Overlay'],
}

test('the styles of every component that a page uses are loaded', () => {
  const built = globSync('dist/assets/*.css', { cwd: WEB }).map((file) => readFileSync(join(WEB, file), 'utf8'))
  // Each style sheet of Mantine has classes of its own: `.m_` and a hash.
  const isBuilt = (name: string) => {
    const [first] = /\.m_\w+/.exec(readFileSync(join(STYLES, `${name}.layer.css`), 'utf8'))!
    return built.some((css) => css.includes(first))
  }
  const sources = globSync(['**/*.tsx', '**/*.ts'], { cwd: WEB }).filter((file) => !file.startsWith('dist'))
  const used = new Set(
    sources.flatMap((file) =>
      [...readFileSync(join(WEB, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
        ([, names]) => names!.split(',').map((name) => name.trim()),
      ),
    ),
  )
  assert.ok(used.size > 20)
  const needed = [...used].flatMap((name) => STYLED_BY[name] ?? [name])
  const missing = needed.filter((name) => existsSync(join(STYLES, `${name}.layer.css`)) && !isBuilt(name))
  assert.deepEqual(missing, [])
})
