/** The data that every app sees of a person who allows it, for all places that ask for consent. */
export const SEES: readonly string[] = [
  'your profile: handle, name, picture, country, e-mail address, gender and roles',
  'the profiles of your friends on Groundschool',
  'lessons that you take with it, your progress in them, and notes about them',
  'what it keeps about you itself, in its own storage here',
]
