import type { Languages } from './languages.ts'
import type { XmlElement } from './xml.ts'

/** Texts of the metadata (LOM) of a course, an organisation or an item. */
export interface Metadata {
  readonly title: Languages
  readonly description: Languages
}

const MOST_LANGUAGES = 50
const MOST_LETTERS = 10_000
const LANGUAGE = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i
const XML_LANG = '{http://www.w3.org/XML/1998/namespace}lang'

/**
 * Reads the title and the description of metadata, in the form of IMS or of IEEE. What cannot be read is left out,
 * because metadata change nothing of a course.
 */
export function readMetadata(lom: XmlElement | undefined): Metadata {
  const root =
    lom && (isNamed(lom, 'lom') || isNamed(lom, 'record') ? lom : lom.children.find((one) => isNamed(one, 'lom')))
  const general = root?.children.find((one) => isNamed(one, 'general'))
  return { title: readTexts(general, 'title'), description: readTexts(general, 'description') }
}

const isNamed = ({ name }: XmlElement, wanted: string): boolean => name.toLowerCase() === wanted

function readTexts(general: XmlElement | undefined, name: string): Languages {
  const texts: Record<string, string> = Object.create(null)
  for (const holder of general?.children.filter((one) => isNamed(one, name)) ?? [])
    for (const one of holder.children) {
      if (!isNamed(one, 'string') && !isNamed(one, 'langstring')) continue
      const text = one.text.trim()
      const tag = languageOf(one)
      if (text !== '' && Object.keys(texts).length < MOST_LANGUAGES) texts[tag] ??= text.slice(0, MOST_LETTERS)
    }
  return texts
}

/** Returns the language of an element; `und` if there is none. */
export function languageOf({ attributes }: XmlElement): string {
  const tag = (attributes.get('language') ?? attributes.get(XML_LANG) ?? attributes.get('lang'))?.trim()
  return tag !== undefined && LANGUAGE.test(tag) && tag !== 'x-none' ? tag : 'und'
}
