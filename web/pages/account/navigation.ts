import { type Html, html } from '../html.ts'

export type AccountSection = 'overview' | 'profile' | 'friends' | 'children' | 'data'

const SECTIONS: readonly { section: AccountSection; path: string; text: string }[] = [
  { section: 'overview', path: '/account', text: 'Overview' },
  { section: 'profile', path: '/account/profile', text: 'Profile' },
  { section: 'friends', path: '/account/friends', text: 'Friends' },
  { section: 'children', path: '/account/children', text: 'Children' },
  { section: 'data', path: '/account/data', text: 'Your data' },
]

/** Leads to the parts of one's account. Only adults look after children. */
export function accountNavigation(current: AccountSection, { isAdult }: { isAdult: boolean }): Html {
  const shown = SECTIONS.filter(({ section }) => section !== 'children' || isAdult)
  return html`<nav class="sections" aria-label="Sections">
<ul>${shown.map(({ section, path, text }) => html`<li><a href="${path}"${section === current && html` aria-current="page"`}>${text}</a></li>`)}</ul>
</nav>
`
}
