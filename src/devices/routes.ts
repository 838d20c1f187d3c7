import { withClientCredentials } from '../http/callers/client-credentials.ts'
import { type Operation, openOperation } from '../http/operation.ts'
import { CLIENT_ERRORS, deskOf } from '../oauth/routes.ts'
import { identifyClient } from '../oauth/token.ts'
import { showUserCode, startDevice } from './devices.ts'
import { DeviceCodes, DeviceFields } from './schema.ts'

export const deviceOperations: readonly Operation[] = [
  openOperation({
    name: 'startDevice',
    summary: 'Gives a device without a browser a code, and one for a person to type elsewhere (RFC 8628)',
    method: 'POST',
    path: '/oauth/v2/device/authorize',
    area: 'Sign-in',
    input: DeviceFields,
    place: 'body only',
    requestHeaders: { Authorization: 'Basic base64(client_id:client_secret), where they are no fields' },
    answer: DeviceCodes,
    errors: [...CLIENT_ERRORS, 'permissionMissing'],
    errorForm: 'rfc',
    run: async ({ db, who, environment, request }, input) => {
      const desk = deskOf(environment, request, 'rfc')
      const client = await identifyClient(db, who, withClientCredentials(request, input), desk)
      const device = String(request.headers['user-agent'] ?? '').slice(0, 200)
      const started = await startDevice(db, who, client, { device }, environment.name)
      const userCode = showUserCode(started.userCode)
      return {
        device_code: started.deviceCode,
        user_code: userCode,
        verification_uri: `${environment.url}/device`,
        verification_uri_complete: `${environment.url}/device?user_code=${userCode}`,
        expires_in: started.expiresInSeconds,
        interval: started.intervalSeconds,
      }
    },
  }),
]
