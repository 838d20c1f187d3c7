import { isMediaType, isSha2 } from '../model/forms.ts'
import { SIGNATURE } from '../model/statement.ts'
import { type Check, checkPresent, checkShape, iri, languageMap, type Shape, text } from './checks.ts'

const length: Check = (value, faults) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    faults.add('XAPI-00102', 'be a whole number of octets, 0 or more')
}

const ATTACHMENT: Shape = new Map([
  ['usageType', iri('XAPI-00107')],
  ['display', languageMap('XAPI-00106')],
  ['description', languageMap('XAPI-00006')],
  ['contentType', text('XAPI-00105', 'be a media type, such as "text/plain"', isMediaType)],
  ['length', length],
  ['sha2', text('XAPI-00103', 'be the hex digits of a SHA-2 (SHA-224 to SHA-512)', isSha2)],
  ['fileUrl', iri('XAPI-00104')],
])

const REQUIRED = {
  usageType: 'XAPI-00107',
  display: 'XAPI-00106',
  contentType: 'XAPI-00105',
  length: 'XAPI-00102',
  sha2: 'XAPI-00103',
}

export const checkAttachment: Check = (value, faults) => {
  if (!checkShape(value, faults, 'XAPI-00025', 'an attachment', ATTACHMENT)) return
  checkPresent(value, faults, REQUIRED)
  if (value.usageType === SIGNATURE && value.contentType !== 'application/octet-stream')
    faults.add('XAPI-00115', 'be "application/octet-stream": the attachment is a signature', 'contentType')
}
