import { textField } from '../fields.ts'
import { type Html, html } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'

/** An organisation that is open for sign-up. */
export interface JoinTarget {
  readonly organisation: string
  readonly name: string
  readonly domains: readonly string[]
  readonly hasCode: boolean
}

export interface JoinForm extends FormFrame {
  readonly target: JoinTarget
  /** Handle of the signed-in person. */
  readonly handle?: string | undefined
  /** Whether the signed-in person needs no code, because of the address that they have confirmed. */
  readonly isAdmitted: boolean
  /** URL of the sign-in page, which returns visitors to this page. */
  readonly signIn: string
  readonly email?: string | undefined
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

const emailField = (email: string | undefined, domains: readonly string[]): Html =>
  textField({
    id: 'email',
    name: 'email',
    label: 'E-mail address',
    type: 'email',
    value: email ?? '',
    maxLength: 254,
    autocomplete: 'email',
    isVerbatim: true,
    isRequired: true,
    ...(domains.length > 0 && { hint: `Addresses at ${domains.join(', ')} need no code.` }),
  })

const codeField = (isRequired: boolean): Html =>
  textField({
    id: 'organisation-code',
    name: 'organisationCode',
    label: 'Code',
    maxLength: 100,
    isVerbatim: true,
    isRequired,
    hint: 'The organisation can tell it to you.',
  })

/** Renders the form with which a visitor asks for a link, or a person who is signed in joins. */
export const joinPage = (form: JoinForm): Html => {
  const { target, handle, isAdmitted, notice, problem, signIn, email, ...frame } = form
  const { name, organisation, domains, hasCode } = target
  const hidden = html`<input type="hidden" name="organisation" value="${organisation}">`
  const askForm = (withCode: boolean) =>
    postForm(
      frame,
      html`${hidden}
${emailField(email, withCode ? domains : [])}
${withCode && codeField(domains.length === 0)}
<div class="buttons"><button>Send link</button></div>`,
    )
  return html`<section class="card">
<h1>Join ${name}</h1>
${noticeBox(notice)}
${alertBox(problem)}
${
  handle === undefined
    ? html`<p>${sayNeeded(target)} We’ll e-mail you a link.</p>
${askForm(hasCode)}
<p class="quiet">Already have an account? <a href="${signIn}">Sign in</a></p>`
    : html`<p>You’re signed in as ${handle}. The owners of ${name} will see your name and handle.</p>
${
  (isAdmitted || hasCode) &&
  postForm(
    frame,
    html`${hidden}${!isAdmitted && codeField(true)}
<div class="buttons"><button>Join</button></div>`,
  )
}
${
  !isAdmitted &&
  domains.length > 0 &&
  html`<p>${hasCode ? 'No code? ' : ''}Use an address at ${domains.join(' or ')}: open the link that we e-mail you while you’re signed in.</p>
${askForm(false)}`
}`
}
</section>`
}

const sayNeeded = ({ domains, hasCode }: JoinTarget): string => {
  if (domains.length === 0) return 'You need the code of this organisation.'
  const address = `Use your e-mail address at ${domains.join(' or ')}`
  return hasCode ? `${address}, or any address with the code.` : `${address}.`
}

/** Renders what a member, or a person who has just joined, sees. */
export const joinedPage = ({ name }: Pick<JoinTarget, 'name'>): Html => html`<section class="card">
<h1>${name}</h1>
<p>You’re a member of ${name}.</p>
<p><a href="/dashboard">Go to your dashboard</a></p>
</section>`

export const closedPage = (problem: string): Html => html`<section class="card">
<h1>Join</h1>
${alertBox(problem)}
<p class="quiet"><a href="/account/signin">Back to sign-in</a></p>
</section>`

export interface LinkForm extends FormFrame {
  readonly name: string
  readonly link: string
  /** Handle of the signed-in person; of nobody if the person has to sign in first. */
  readonly handle?: string | undefined
  /** Handle of the account that has the address of the link. */
  readonly owner?: string | undefined
  readonly signIn: string
  readonly problem?: string | undefined
}

/** Renders the page of a link for people who have an account: the signed-in one, or one that they sign in to. */
export const joinLinkPage = ({
  name,
  link,
  handle,
  owner,
  signIn,
  problem,
  ...frame
}: LinkForm): Html => html`<section class="card">
<h1>Join ${name}</h1>
${alertBox(problem)}
${
  handle === undefined
    ? html`<p>Your e-mail address belongs to the account ${owner}. Sign in to join with it.</p>
<p><a href="${signIn}">Sign in</a></p>`
    : html`<p>You’re signed in as ${handle}. The owners of ${name} will see your name and handle.</p>
${postForm(
  frame,
  html`<input type="hidden" name="link" value="${link}">
<div class="buttons"><button>Join as ${handle}</button></div>`,
)}`
}
</section>`
