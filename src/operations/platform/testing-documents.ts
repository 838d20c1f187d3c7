import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A fenced code block in a document. The words after its language are markers for the tests. */
export interface Block {
  readonly place: string
  readonly language: string
  /** The reason from `norun: WHY`, if the commands cannot run in the test. */
  readonly whyNot: string | undefined
  /** Error codes that the commands must receive, as in `refused 4032 4091`. */
  readonly refusals: readonly string[]
  /** Name of the file that readers save the block as, as in `json school.json`. */
  readonly fileName: string | undefined
  readonly code: string
  /** The output that the document shows after the commands, in a block `text output`. `…` stands for anything. */
  readonly shown: string | undefined
  /** Positions in the document at which the block of commands ends, and the block with their output. */
  readonly end: number
  readonly shownEnd: number
}

export interface Document {
  readonly file: string
  readonly blocks: readonly Block[]
}

/** Reads every document that people read, starting with the README. */
export const readDocuments = (): Document[] =>
  globSync(['*.md', '{docs,deploy,sdk,examples}/**/*.md'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**', 'sdk/dist/**'],
  })
    .sort()
    .map((file) => readDocument(file, readFileSync(join(ROOT, file), 'utf8')))

export const readDocument = (file: string, text: string): Document => ({ file, blocks: [...findBlocks(file, text)] })

function* findBlocks(file: string, text: string): Generator<Block> {
  for (const { 1: indent = '', 2: language = '', 3: info = '', 4: body = '', index } of text.matchAll(
    /^( *)```(\w*) ?([^\n]*)\n(.*?)^\1```$/gms,
  )) {
    const line = text.slice(0, index).split('\n').length
    const words = info.split(' ')
    const outdent = (code: string) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const end = index + text.slice(index).search(new RegExp(`^${indent}\`\`\`$`, 'm')) + indent.length + 3
    const output = new RegExp(`^\n\n${indent}\`\`\`text output\n(.*?)^${indent}\`\`\`$`, 'ms').exec(text.slice(end))
    yield {
      place: `${file}:${line}`,
      language,
      whyNot: /^norun: (.+)$/.exec(info)?.[1],
      refusals: words[0] === 'refused' ? words.slice(1) : [],
      fileName: /^[\w-]+\.\w+$/.test(info) ? info : undefined,
      code: outdent(body),
      shown: output?.index === 0 ? outdent(output[1]!) : undefined,
      end,
      shownEnd: output?.index === 0 ? end + output[0].length : end,
    }
  }
}

/** Returns the blocks whose commands readers paste into a terminal. */
export const commandsOf = ({ blocks }: Document): Block[] =>
  blocks.filter(({ language, whyNot }) => language === 'sh' && whyNot === undefined)

/** Longer lines, and more of them, are cut: a reader only wants to see what to expect. */
const [MAX_LINE, MAX_LINES] = [160, 8]

/** Replaces what differs from run to run with `…`: tokens, ids, times, counts and ports. */
const generalise = (line: string): string =>
  line
    .replaceAll(/\b(gs_\w+|evt)_[\w.~-]{10,}/g, '…')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '…')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)/g, '…')
    .replaceAll(/\bgroundschool-\d{8}T\d{6}Z\b/g, 'groundschool-…')
    .replaceAll(/(?<=["/])[\w-]{20,64}\b/g, (id) => (/\d|[a-z][A-Z]/.test(id) && !/^[a-z-]+$/.test(id) ? '…' : id))
    .replaceAll(/\b[A-Z]{4}-[A-Z]{4}\b/g, '…')
    .replaceAll(/^id: \d{10,}/gm, 'id: …')
    .replaceAll(/(?<="(count|mean|version)":)[\d.]+/g, '…')
    .replaceAll(/\b\d+ (?=(rows|bytes|tables|seconds|ms|created)\b)/g, '… ')
    .replace(new RegExp(`^(.{${MAX_LINE}}).+$`), '$1…')

/** Returns the output of commands as a document shows it, without the progress that a terminal overwrites. */
function summarise(output: string): string {
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !/^\d+ %/.test(line))
    .map(generalise)
  return `${(lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), '…'] : lines).join('\n')}\n`
}

/**
 * Returns the lines that a document shows and its commands did not print. They may come in another order, because some
 * commands run in the background.
 */
export function findMissing(shown: string, output: string): string[] {
  const printed = output.split('\n')
  return shown.split('\n').filter((line) => {
    const pattern = new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`)
    return line !== '' && !printed.some((one) => pattern.test(one.trimEnd()))
  })
}

/**
 * Puts outputs into the `text output` blocks of a document that are empty or no longer match. Authors choose where
 * outputs are shown, and may shorten them.
 */
export function fillOutputs(document: Document, text: string, outputs: readonly string[]): string {
  let filled = text
  for (const [i, { end, shownEnd, shown }] of [...commandsOf(document).entries()].reverse()) {
    if (shown === undefined || (shown !== '' && findMissing(shown, outputs.join('')).length === 0)) continue
    const indent = /( *)```$/.exec(filled.slice(0, end))![1]!
    const lines = `\`\`\`text output\n${summarise(outputs[i]!)}\`\`\``.split('\n')
    const block = outputs[i]!.trim() === '' ? '' : `\n\n${lines.map((line) => indent + line).join('\n')}`
    filled = filled.slice(0, end) + block + filled.slice(shownEnd)
  }
  return filled
}

/** Records the outputs of a document's commands in its file. */
export function writeOutputs(document: Document, outputs: readonly string[]): void {
  const file = join(ROOT, document.file)
  writeFileSync(file, fillOutputs(document, readFileSync(file, 'utf8'), outputs))
}
