import { textField } from '../fields.ts'
import { type Html, html } from '../html.ts'
import { alertBox, type FormFrame, noticeBox, postForm } from '../layout.ts'
import { newPasswordFields } from './new-password.ts'

export interface AskSignUpForm extends FormFrame {
  /** True if sign-up is open. */
  readonly isOpen: boolean
  readonly email?: string | undefined
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

/** Renders the form that asks for the mail address to which the sign-up link is sent. */
export const askSignUpPage = ({
  isOpen,
  email,
  notice,
  problem,
  ...frame
}: AskSignUpForm): Html => html`<section class="card">
<h1>Create account</h1>
${noticeBox(notice)}
${alertBox(problem)}
${
  isOpen
    ? html`<p>We’ll e-mail you a link to choose your handle and password.</p>
${postForm(
  frame,
  html`${textField({ id: 'email', name: 'email', label: 'E-mail address', type: 'email', value: email ?? '', maxLength: 254, autocomplete: 'email', isVerbatim: true, isRequired: true })}
<div class="buttons"><button>Send link</button></div>`,
)}`
    : html`<p>Only administrators can create accounts here. Ask an administrator.</p>`
}
<p class="quiet"><a href="/account/signin">Back to sign-in</a></p>
</section>`

/** Values that the person has typed, except the password, to show them again. */
export interface NewPerson {
  readonly handle?: string | undefined
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly dateOfBirth?: string | undefined
}

export interface SignUpForm extends FormFrame {
  readonly code: string
  readonly typed: NewPerson
  /** Name of the organisation that the new person joins. */
  readonly organisation?: string | undefined
  readonly minLength: number
  readonly problem?: string | undefined
}

/** Renders the form that asks for the new person's handle, names and password. */
export const signUpPage = ({
  code,
  typed,
  organisation,
  minLength,
  problem,
  ...frame
}: SignUpForm): Html => html`<section class="card">
<h1>${organisation === undefined ? 'Create account' : `Join ${organisation}`}</h1>
<p>E-mail address confirmed. Choose your handle and password.${organisation !== undefined && ` You become a member of ${organisation}.`}</p>
${alertBox(problem)}
${postForm(
  frame,
  html`<input type="hidden" name="code" value="${code}">
${textField({ id: 'handle', name: 'handle', label: 'Handle', value: typed.handle ?? '', maxLength: 31, autocomplete: 'username', isVerbatim: true, isRequired: true, isFirst: problem !== undefined, hint: 'Other people see it. 1 to 30 letters from a to z, digits, dots, dashes or underscores.' })}
${textField({ id: 'first-name', name: 'firstName', label: 'First name', value: typed.firstName ?? '', maxLength: 100, autocomplete: 'given-name', hint: 'Optional' })}
${textField({ id: 'last-name', name: 'lastName', label: 'Last name', value: typed.lastName ?? '', maxLength: 100, autocomplete: 'family-name' })}
${textField({ id: 'date-of-birth', name: 'dateOfBirth', label: 'Date of birth', type: 'date', value: typed.dateOfBirth ?? '', autocomplete: 'bday', isRequired: true, hint: 'If you’re under 13, ask a parent to create your account.' })}
${newPasswordFields(minLength)}
<div class="buttons"><button>Create account</button></div>`,
)}
</section>`
