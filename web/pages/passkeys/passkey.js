// Passkeys, on the sign-in form and on the account page. Both work without this script: what needs it is hidden until it is here.

const find = (name) => document.querySelector(`[data-passkey${name}]`)

/** A refusal in the server's own words. */
class Refusal extends Error {
  constructor({ error_description: sentence = 'Something went wrong; try again' } = {}) {
    super(sentence)
  }
}

async function post(path, fields) {
  const answer = await fetch(`/account/v1/passkey${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  const content = await answer.json().catch(() => undefined)
  if (!answer.ok) throw new Refusal(content)
  return content
}

async function signIn() {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/signin/options', {}))
  const credential = await navigator.credentials.get({ publicKey })
  const keep = document.querySelector('input[name="keep"]')?.checked ?? false
  await post('/signin', { response: credential.toJSON(), keep })
  // Where the form with the password leads too. This page itself may be the answer to such a form, or ask for sign-in whoever is signed in.
  location.assign(document.querySelector('form[method="post"]').action)
}

/** Where the form asks for no password, a passkey proves who it is. */
async function proveIn({ password }) {
  if (password !== undefined) return { password }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/proof/options', {}))
  const credential = await navigator.credentials.get({ publicKey })
  return { proof: credential.toJSON() }
}

async function remove(form) {
  const { passkeyId } = Object.fromEntries(new FormData(form))
  await post('/remove', { passkeyId, ...(await proveIn({})) })
  location.assign('/account?done=passkey-removed')
}

async function add(form) {
  const { name, ...proof } = Object.fromEntries(new FormData(form))
  const options = await post('/options', await proveIn(proof))
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await post('', { response: credential.toJSON(), ...(name ? { name } : {}) })
  location.assign('/account?done=passkey-added')
}

/** What browsers call what went wrong (WebAuthn §5.1.3, §5.1.4), in words. */
const SENTENCES = {
  NotAllowedError: 'No passkey was chosen, or it took too long. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  NotSupportedError: 'This device cannot make a passkey that works here.',
  ConstraintError: 'This device cannot make a passkey that works here.',
  SecurityError: 'Passkeys do not work at this address.',
  TypeError: 'The server cannot be reached. Try again.',
}

function explain(error) {
  return error instanceof Refusal ? `${error.message}.` : (SENTENCES[error.name] ?? 'This did not work. Try again.')
}

/** One try at a time; what goes wrong is said on the page. */
async function attempt(button, work) {
  const problem = find('-problem')
  problem.hidden = true
  button.disabled = true
  try {
    await work()
  } catch (error) {
    problem.textContent = explain(error)
    problem.hidden = false
  } finally {
    button.disabled = false
  }
}

if (globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  const signInButton = find('-sign-in')
  signInButton?.addEventListener('click', () => attempt(signInButton, signIn))
  for (const [name, work] of Object.entries({ '-add': add, '-remove': remove })) {
    const form = find(name)
    form?.addEventListener('submit', (event) => {
      event.preventDefault()
      attempt(event.submitter, () => work(form))
    })
  }
  const shown = find('')
  if (shown) shown.hidden = false
  const unable = find('-unable')
  if (unable) unable.hidden = true
}
