// Passkeys on the sign-in form, and on the page of an invitation. The form works without this script: elements that
// need it are hidden until it runs.

const find = (name) => document.querySelector(`[data-passkey${name}]`)

/** An error with the server's message. */
class Refusal extends Error {
  constructor({ error_description: sentence = 'Something went wrong. Try again' } = {}) {
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

/** Returns the path of the provider with which the person has to sign in; undefined if that is not the problem. */
const findProvider = ({ message }) => /\/account\/provider\?\S+$/.exec(message)?.[0]

async function signIn() {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await post('/signin/options', {}))
  const credential = await navigator.credentials.get({ publicKey })
  const keep = document.querySelector('input[name="keep"]')?.checked ?? false
  const { action } = document.querySelector('form[method="post"]')
  try {
    await post('/signin', { response: credential.toJSON(), keep })
  } catch (error) {
    const path = findProvider(error)
    if (path === undefined) throw error
    const { pathname, search } = new URL(action)
    location.assign(`${path}&next=${encodeURIComponent(pathname + search)}${keep ? '&keep=true' : ''}`)
    return
  }
  // Goes where the password form leads. Reloading would not do: this page may be the response to that form, or ask
  // signed-in people to sign in again.
  location.assign(action)
}

/** Creates the passkey of a new account, on the page of its link. */
async function create({ dataset: { code } }) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/link/options', { code }))
  const credential = await navigator.credentials.create({ publicKey })
  await post('/link', { code, response: credential.toJSON() })
  location.assign('/account/reset?done=account-ready')
}

/** Messages for errors of the browser (WebAuthn §5.1.4). */
const SENTENCES = {
  NotAllowedError: 'No passkey was chosen, or it took too long. Try again.',
  SecurityError: 'Passkeys don’t work at this URL.',
  TypeError: 'Groundschool can’t be reached. Try again.',
}

function explain(error) {
  return error instanceof Refusal ? `${error.message}.` : (SENTENCES[error.name] ?? 'Something went wrong. Try again.')
}

/** Runs one attempt at a time, and shows errors on the page. */
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
  const createButton = find('-create')
  createButton?.addEventListener('click', () => attempt(createButton, () => create(createButton)))
  const shown = find('')
  if (shown) shown.hidden = false
}
