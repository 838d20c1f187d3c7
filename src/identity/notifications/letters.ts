import { KINDS, type NotificationKind } from './kinds.ts'

interface Letter {
  readonly subject: string
  readonly text: string
}

interface Links {
  readonly url: string
  /** Undefined for a kind that cannot be turned off. */
  readonly unsubscribeUrl: string | undefined
}

const footer = (why: string, { url, unsubscribeUrl }: Links): string =>
  `-- \nYou get this e-mail because ${why}. Choose what you get:\n${url}/account/notifications\n${
    unsubscribeUrl === undefined ? '' : `\nUnsubscribe from these e-mails:\n${unsubscribeUrl}\n`
  }`

export const writeLetter = (
  what: { kind: NotificationKind; title: string; text: string; link: string },
  links: Links,
): Letter => ({
  subject: what.title,
  text: `${what.text === '' ? what.title : what.text}\n\n${links.url}${what.link}\n\n${footer(KINDS[what.kind].why, links)}`,
})

/** Writes a digest with the newest notifications, and the number of those that are left out. */
export const writeDigest = (
  { entries, total }: { entries: readonly { title: string; link: string }[]; total: number },
  links: Links,
): Letter => {
  const lines = entries.map(({ title, link }) => `- ${title}\n  ${links.url}${link}\n`)
  const rest = total - entries.length
  const more = rest === 0 ? '' : `\nand ${rest} more: ${links.url}/account/notifications\n`
  return {
    subject: total === 1 ? entries[0]!.title : `${total} notifications`,
    text: `${lines.join('\n')}${more}\n${footer('you chose a daily digest', links)}`,
  }
}
