import { Type } from 'typebox'

const optional = (description: string) => Type.Optional(Type.String({ description }))

/** A public key, with the members that its type has (RFC 7518 §6). */
const PublicKey = Type.Object(
  {
    kty: Type.String({ description: 'Type: `RSA`, `EC` or `OKP`' }),
    kid: Type.String({ description: 'The id of the key, which tokens name in their header' }),
    alg: Type.String({ description: 'The algorithm that it signs with' }),
    use: Type.String({ description: 'Always `sig`' }),
    n: optional('RSA: the modulus'),
    e: optional('RSA: the exponent'),
    crv: optional('EC and OKP: the curve'),
    x: optional('EC and OKP: the x coordinate, or the key'),
    y: optional('EC: the y coordinate'),
  },
  { title: 'PublicKey' },
)
export const PublicKeys = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'PublicKeys' })
