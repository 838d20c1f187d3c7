import { DONE, PASSWORD, USER_IDS } from '../../kernel/samples.ts'

const entry = (userId: string, handle: string, firstName: string, lastName: string, country: string) => ({
  userId,
  handle,
  firstName,
  lastName,
  userType: 'adult',
  accountType: 'Adult',
  country,
  profilePic: `p-${userId}-0`,
  coverPhoto: `c-${userId}-0`,
  anonymous: false,
})

/** People of the demo data, as an app sees them. */
export const AVERY = entry(USER_IDS.avery, '@avery', 'Avery', 'Lindqvist', 'SE')
export const BLAKE = entry(USER_IDS.blake, '@blake', 'Blake', 'Moreau', 'FR')
export const CASEY = entry(USER_IDS.casey, '@casey', 'Casey', 'Okafor', 'NG')
export const DREW = entry(USER_IDS.drew, '@drew', 'Drew', 'Castellanos', 'MX')

const SETTINGS = {
  handle: '@avery',
  firstName: 'Avery',
  lastName: 'Lindqvist',
  userType: 'adult',
  accountType: 'Adult',
  country: 'SE',
  gender: '',
  position: '',
  email: 'avery@example.org',
  dateOfBirth: '2001-03-14',
  publicSearch: true,
  hasPassword: true,
  hasParent: false,
  hasPicture: false,
  hasCover: false,
  may: {
    changeNames: true,
    changePublicSearch: true,
    changeEmail: true,
    decideFriends: true,
    lookAfterChildren: true,
  },
}

/** What people read about these operations. */
export const examples = {
  readOwnProfile: {
    description:
      'Use it to greet the user and to show what the platform knows about them. Store only the `userId`, which is unique to your app, and read the rest again when you show it. Unknown values are empty strings; an unknown country is the default of the installation.',
    example: {
      answer: {
        ...AVERY,
        position: '',
        role: 'user',
        organizationRoles: { sandhills: 'student' },
        email: 'avery@example.org',
        gender: '',
        trainer: false,
        trainee: true,
      },
    },
  },
  readProfile: {
    description:
      'Shows another user of your app by the `userId` that your app knows. It works for users who have public search on, and for the caller. Everybody else gets 404, including people who blocked the caller or whom the caller blocked.',
    example: { request: { id: USER_IDS.blake }, answer: BLAKE },
  },
  readSettings: {
    description:
      'For a page where people edit their profile. It belongs to the person, not to an app, so it has no `userId`. Unknown values are empty strings.',
    example: { answer: SETTINGS },
  },
  changeSettings: {
    description:
      'Send only the fields that should change; an empty string clears a field. Children cannot change their name, their country or public search, because a parent decides those. The answer has all settings as they are now.',
    example: {
      request: { country: 'NO', position: 'Student pilot' },
      answer: { ...SETTINGS, country: 'NO', position: 'Student pilot' },
    },
  },
  changeEmail: {
    description:
      'Password reset links go to this address too, so the current password is required. The old address gets a message about the change. For a child, a parent does this.',
    example: { request: { email: 'avery.lindqvist@example.org', password: PASSWORD }, answer: DONE },
  },
}
