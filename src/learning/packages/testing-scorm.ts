const NAMESPACES = {
  '1.2':
    'xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"',
  '2004': [
    'xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"',
    'xmlns:adlseq="http://www.adlnet.org/xsd/adlseq_v1p3" xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3"',
    'xmlns:imsss="http://www.imsglobal.org/xsd/imsss"',
  ].join(' '),
} as const

export interface ManifestOptions {
  /** Value of `schemaversion`; null for none. */
  readonly version?: string | null
  readonly namespaces?: string
  readonly attributes?: string
  /** Elements of the organisation, such as items. */
  readonly items?: string
  /** All organisations instead of one with these items. */
  readonly organizations?: string
  readonly resources?: string
  /** Elements after the resources. */
  readonly after?: string
  readonly metadata?: string
}

const isOld = (version: string | null) => version === '1.2'

/** A manifest of one SCO, unless it is told otherwise. */
export function manifestOf(options: ManifestOptions = {}): string {
  const { version = '2004 4th Edition', attributes = '', metadata = '', after = '' } = options
  const { namespaces = NAMESPACES[isOld(version) ? '1.2' : '2004'], items = itemOf('item-1') } = options
  const organization = `<organization identifier="org"><title>Walkaround</title>${items}</organization>`
  const { organizations = `<organizations default="org">${organization}</organizations>` } = options
  const { resources = resourceOf('sco') } = options
  const schema = version === null ? '' : `<schema>ADL SCORM</schema><schemaversion>${version}</schemaversion>`
  return `<?xml version="1.0"?><manifest identifier="walkaround" ${namespaces} ${attributes}>
    <metadata>${schema}${metadata}</metadata>${organizations}<resources>${resources}</resources>${after}</manifest>`
}

export const itemOf = (id: string, inside = '', attributes = 'identifierref="sco"'): string =>
  `<item identifier="${id}" ${attributes}><title>Title of ${id}</title>${inside}</item>`

/** A resource in the spelling of 2004, which is accepted in 1.2 too. */
export const resourceOf = (id: string, attributes = 'href="index.html"', inside = ''): string =>
  `<resource identifier="${id}" type="webcontent" adlcp:scormType="sco" ${attributes}>${inside}</resource>`

/** The sequencing of an item. */
export const sequencingOf = (inside: string, attributes = ''): string =>
  `<imsss:sequencing ${attributes}>${inside}</imsss:sequencing>`
