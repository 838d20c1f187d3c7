import { type Html, html } from './html.ts'

export interface TextField {
  /** Id of the element, unique on its page. */
  readonly id: string
  readonly name: string
  readonly label: string
  readonly value?: string | undefined
  readonly type?: 'text' | 'email' | 'date' | 'password'
  readonly maxLength?: number
  readonly minLength?: number
  /** Value of the `autocomplete` attribute (WCAG 2.2 §1.3.5); `off` by default. */
  readonly autocomplete?: string
  /** A sentence that is shown below the field. */
  readonly hint?: string | undefined
  readonly isRequired?: boolean
  /** True for a handle or an address, which keyboards must not autocorrect. */
  readonly isVerbatim?: boolean
  /** True if the field gets the focus, because the field itself or its form has a mistake. */
  readonly isFirst?: boolean
}

export const textField = (field: TextField): Html => html`<label for="${field.id}">${field.label}</label>
<input id="${field.id}" name="${field.name}" type="${field.type ?? 'text'}"${
  field.value !== undefined && html` value="${field.value}"`
} autocomplete="${field.autocomplete ?? 'off'}"${
  field.maxLength !== undefined && html` maxlength="${field.maxLength}"`
}${field.minLength !== undefined && html` minlength="${field.minLength}"`}${
  field.isVerbatim === true && html` autocapitalize="none" spellcheck="false"`
}${field.hint !== undefined && html` aria-describedby="${field.id}-hint"`}${field.isRequired === true && html` required`}${
  field.isFirst === true && html` autofocus`
}>
${field.hint !== undefined && html`<p class="quiet hint" id="${field.id}-hint">${field.hint}</p>`}`
