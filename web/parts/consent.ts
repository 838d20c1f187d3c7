/** The data that every app can see about a person who has allowed it. Shown wherever consent is asked for. */
export const SEES: readonly string[] = [
  'your profile: handle, name, picture, country, e-mail address, gender and roles',
  'the profiles of your friends on Groundschool',
  'the lessons you take with it, your progress in them, and notes about them',
  'the data it stores about you on Groundschool',
]
