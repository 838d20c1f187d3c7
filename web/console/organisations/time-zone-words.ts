/** Texts about the time zone of an organisation. */
export const timeZoneWords = {
  title: 'Time zone',
  label: 'Dates of classes are entered in',
  help: 'Everybody sees dates in their own time zone. Dates that are already set don’t change.',
  failed: 'Couldn’t change the time zone',
  done: (zone: string) => `Dates are now entered in ${zone}`,
}
