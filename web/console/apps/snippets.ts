interface Facts {
  /** Base URL of the platform. */
  readonly origin: string
  readonly clientId: string
  readonly redirectUri: string
  readonly isPublic: boolean
}

export const LANGUAGES = ['curl', 'typescript', 'python'] as const
export type Language = (typeof LANGUAGES)[number]

export interface Snippets {
  readonly signIn: string
  readonly exchange: string
  readonly call: string
}

/** Example code that signs people in to this app with a code and PKCE (RFC 7636), and then calls the platform. */
export const snippetsOf: Readonly<Record<Language, (facts: Facts) => Snippets>> = {
  curl: ({ origin, clientId, redirectUri, isPublic }) => ({
    signIn: `VERIFIER=$(openssl rand -base64 48 | tr '+/' '-_' | tr -d '=\\n')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
echo "${origin}/oauth/v2/signin?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(redirectUri)}&state=xyz&code_challenge=$CHALLENGE&code_challenge_method=S256"`,
    exchange: `CODE=   # from the address that the browser came back to
curl -s ${origin}/oauth/v2/token \\
  --data-urlencode grant_type=authorization_code \\
  --data-urlencode "code=$CODE" \\
  --data-urlencode "code_verifier=$VERIFIER" \\
  --data-urlencode redirect_uri='${redirectUri}' \\
  --data-urlencode client_id=${clientId}${isPublic ? '' : ' \\\n  --data-urlencode client_secret=YOUR_SECRET'}`,
    call: `TOKEN=   # access_token of the answer
curl -s ${origin}/user/v1/my/profile -H "Authorization: Bearer $TOKEN"`,
  }),
  typescript: ({ origin, clientId, redirectUri, isPublic }) => ({
    signIn: `const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const verifier = base64url(crypto.getRandomValues(new Uint8Array(48)))
const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
const signIn = new URL('${origin}/oauth/v2/signin')
signIn.search = new URLSearchParams({
  response_type: 'code',
  client_id: '${clientId}',
  redirect_uri: '${redirectUri}',
  state: crypto.randomUUID(),
  code_challenge: base64url(new Uint8Array(digest)),
  code_challenge_method: 'S256',
}).toString()
console.log(\`Open \${signIn}\`)`,
    exchange: `const answer = await fetch('${origin}/oauth/v2/token', {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'authorization_code',
    code, // from the address that the browser came back to
    code_verifier: verifier,
    redirect_uri: '${redirectUri}',
    client_id: '${clientId}',${isPublic ? '' : "\n    client_secret: 'YOUR_SECRET',"}
  }),
})
const { access_token } = await answer.json()`,
    call: `const profile = await fetch('${origin}/user/v1/my/profile', {
  headers: { authorization: \`Bearer \${access_token}\` },
})
console.log(await profile.json())`,
  }),
  python: ({ origin, clientId, redirectUri, isPublic }) => ({
    signIn: `import base64, hashlib, json, secrets, urllib.parse, urllib.request

verifier = secrets.token_urlsafe(48)
challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
print("Open ${origin}/oauth/v2/signin?" + urllib.parse.urlencode({
    "response_type": "code",
    "client_id": "${clientId}",
    "redirect_uri": "${redirectUri}",
    "state": secrets.token_urlsafe(16),
    "code_challenge": challenge,
    "code_challenge_method": "S256",
}))`,
    exchange: `fields = urllib.parse.urlencode({
    "grant_type": "authorization_code",
    "code": code,  # from the address that the browser came back to
    "code_verifier": verifier,
    "redirect_uri": "${redirectUri}",
    "client_id": "${clientId}",${isPublic ? '' : '\n    "client_secret": "YOUR_SECRET",'}
})
with urllib.request.urlopen("${origin}/oauth/v2/token", fields.encode()) as answer:
    tokens = json.load(answer)`,
    call: `request = urllib.request.Request(
    "${origin}/user/v1/my/profile",
    headers={"Authorization": f"Bearer {tokens['access_token']}"},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))`,
  }),
}
