import { Type } from 'typebox'
import { Text } from '../http/input/fields.ts'
import { clientFields } from '../oauth/schema.ts'

export const DeviceFields = Type.Object({
  ...clientFields,
  scope: Type.Optional(Text('Accepted and without effect: an app sees what the consent page says', 2000)),
})

export const DeviceCodes = Type.Object(
  {
    device_code: Type.String({ description: 'For the token operation' }),
    user_code: Type.String({ description: 'For the person to type, such as BCDF-GHJK' }),
    verification_uri: Type.String({ description: 'Where they type it' }),
    verification_uri_complete: Type.String({ description: 'The same with the code filled in, for a QR code' }),
    expires_in: Type.Integer({ description: 'Lifetime of both codes in seconds' }),
    interval: Type.Integer({ description: 'Seconds to wait between two requests for tokens' }),
  },
  { title: 'DeviceCodes' },
)

const user_code = Type.Optional(Text('The code that the device shows', 100))
const decision = Type.Union([Type.Literal('allow'), Type.Literal('deny')], { description: 'What the person chose' })

export const UserCode = Type.Object({ user_code })
export const Decision = Type.Object({ user_code, decision })
export const Decided = Type.Object({ decision })
