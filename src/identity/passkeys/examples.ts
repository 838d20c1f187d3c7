import { DONE, MOMENT, PASSKEY_ID, PASSWORD } from '../../kernel/samples.ts'

const CREDENTIAL_ID = 'kR7wTq2ZbX0nYc5Vf8JmLg'
const USER = 'pS3vNf6YxQ1kZt8Wm0Rb5Hc7Jd2Lg9Xa4Ue6Oi3TyBw'
const CHALLENGE =
  'Vt5Kx8Qm2Zr7Yb1Nc4Wj9Lf6Hd3Ps0Ga5Te8Ru2Io7AAAAGdJ3mQ4Kb8Xv1Zn6Yc5Wt2Rj9Lq7Mf3Hp0Ds4Ge8Tu1Oa6Ix5BkNyVw2Cz'
const SIGNED = 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoi4oCmIn0'
const PASSKEY = { passkeyId: PASSKEY_ID, name: 'Laptop', createdDate: MOMENT, lastUsedDate: null }
const FILL_PASSKEY = { passkeyId: 'One of listPasskeys. Add a passkey in your account first' }
const CREDENTIAL = { id: CREDENTIAL_ID, rawId: CREDENTIAL_ID, type: 'public-key' }

/** What people read about these operations. */
export const examples = {
  listPasskeys: {
    description:
      'For a page where people manage their passkeys. `lastUsedDate` is null for a passkey that has not been used yet. The keys themselves are never shown.',
    example: { answer: [PASSKEY] },
  },
  startPasskey: {
    description:
      'Step one of two: pass the answer to `navigator.credentials.create`. The cookie alone is not enough: also send the password, or a proof signed by one of the person’s passkeys. A person can have at most 20 passkeys.',
    example: {
      request: { password: PASSWORD },
      answer: {
        rp: { id: 'localhost', name: 'Groundschool' },
        user: { id: USER, name: '@avery', displayName: 'Avery Lindqvist' },
        challenge: CHALLENGE,
        pubKeyCredParams: [
          { type: 'public-key', alg: -8 },
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        timeout: 300_000,
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      },
    },
  },
  startPasskeyProof: {
    description:
      'For people without a password, before a passkey is added or removed: pass the answer to `navigator.credentials.get`, and send what the browser signed as `proof`. The proof works once, in the same browser.',
    example: {
      answer: { challenge: CHALLENGE, timeout: 300_000, rpId: 'localhost', userVerification: 'required' },
    },
  },
  addPasskey: {
    description:
      'Step two of two: send the browser’s credential as its `toJSON()` returns it. A challenge can be answered only once; after a wrong answer, start again. The person gets a message about the new passkey.',
    example: {
      request: {
        name: 'Laptop',
        response: {
          ...CREDENTIAL,
          response: {
            clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi4oCmIn0',
            attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVjKlpW2a3Zx8Qv5Tn1Yc7Wk4Rj',
            transports: ['internal'],
          },
          clientExtensionResults: {},
        },
      },
      answer: PASSKEY,
      fill: { response: 'What the browser made of the options that startPasskey answers' },
    },
  },
  renamePasskey: {
    description:
      'The name, of 1 to 100 characters, helps people tell their passkeys apart. The device that holds the passkey keeps its own name for it.',
    example: { request: { passkeyId: PASSKEY_ID, name: 'Old laptop' }, answer: DONE, fill: FILL_PASSKEY },
  },
  removePasskey: {
    description:
      'Use it for a lost or sold device. The cookie alone is not enough: also send the password, or a proof signed by one of the person’s passkeys. Browsers that signed in with the passkey stay signed in, and the person gets a message.',
    example: { request: { passkeyId: PASSKEY_ID, password: PASSWORD }, answer: DONE, fill: FILL_PASSKEY },
  },
  startPasskeySignIn: {
    description:
      'Step one of two: pass the answer to `navigator.credentials.get`. No handle is needed, because the person chooses the passkey on the device. Keep the cookie: the second step must come from the same browser.',
    example: {
      answer: { challenge: CHALLENGE, timeout: 300_000, rpId: 'localhost', userVerification: 'required' },
    },
  },
  signInWithPasskey: {
    description:
      'Step two of two: send what the browser signed, as its `toJSON()` returns it. A refusal does not say why; start again with step one. The cookie in the answer signs this browser in.',
    example: {
      request: {
        response: {
          ...CREDENTIAL,
          response: {
            clientDataJSON: SIGNED,
            authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
            signature: 'MEUCIQDx7Rk2Vn5Tq8Zb1Yc4Wj9Lf6Hd3Ps0Ga5Te8Ru2IgIhAKb8Xv1Zn6Yc5Wt2Rj9Lq7Mf3Hp0',
            userHandle: USER,
          },
          clientExtensionResults: {},
        },
      },
      answer: { handle: '@avery', name: 'Avery Lindqvist' },
      fill: { response: 'What the browser signed of the options that startPasskeySignIn answers' },
    },
  },
}
