/**
 * Region codes that Intl knows but that are not countries of ISO 3166. Kosovo (XK) is not one either, but stays because
 * people live there.
 */
const NO_COUNTRIES = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '))

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const { compare } = new Intl.Collator('en')

/** Intl gives a withdrawn code the name of its successor, which would be listed twice. */
const isCurrent = (code: string): boolean => new Intl.Locale(`und-${code}`).region === code

/** All countries with their English names, sorted by name. */
export const COUNTRIES: readonly { readonly code: string; readonly name: string }[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => !NO_COUNTRIES.has(code) && isCurrent(code))
  .flatMap((code) => {
    const name = names.of(code)
    return name === undefined ? [] : [{ code, name }]
  })
  .sort((one, other) => compare(one.name, other.name))

/** The name of a country; an unknown code stands for itself. */
export const countryName = (code: string): string => COUNTRIES.find((one) => one.code === code)?.name ?? code

/** The choices of a field. An unknown code that came from an import stays selectable. */
export const countryChoices = (chosen: string, notSaid: string): { value: string; label: string }[] => [
  { value: '', label: notSaid },
  ...(chosen === '' || COUNTRIES.some(({ code }) => code === chosen) ? [] : [{ value: chosen, label: chosen }]),
  ...COUNTRIES.map(({ code, name }) => ({ value: code, label: name })),
]
