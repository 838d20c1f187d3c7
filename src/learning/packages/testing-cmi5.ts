import { CMI5 } from './cmi5-schema.ts'

const text = '<langstring lang="en"> Walkaround </langstring><langstring lang="de-CH">Rundgang</langstring>'

/** A title and a description. */
export const textsOf = (): string => `<title>${text}</title><description>${text}</description>`

export const courseOf = (items: string, id = 'http://example.com/course'): string =>
  `<courseStructure xmlns="${CMI5}"><course id="${id}">${textsOf()}</course>${items}</courseStructure>`

export const objectiveOf = (id: string): string => `<objective id="${id}">${textsOf()}</objective>`

interface UnitOptions {
  readonly url?: string
  readonly attributes?: string
  /** Elements after the URL. */
  readonly after?: string
}
export const auOf = (id: string, { url = 'index.html', attributes = '', after = '' }: UnitOptions = {}): string =>
  `<au id="${id}" ${attributes}>${textsOf()}<url>${url}</url>${after}</au>`

interface BlockOptions {
  readonly children: string
  readonly objectives?: readonly string[]
  readonly after?: string
}
export function blockOf(id: string, { children, objectives = [], after = '' }: BlockOptions): string {
  const references = objectives.map((one) => `<objective idref="${one}"/>`).join('')
  const listed = references === '' ? '' : `<objectives>${references}</objectives>`
  return `<block id="${id}">${textsOf()}${listed}${children}${after}</block>`
}
