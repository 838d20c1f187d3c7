import { MOMENT, PLUGIN_USER_ID } from '../../kernel/samples.ts'

const userId = PLUGIN_USER_ID
/** Where a plugin learns its ids of people. */
const after = 'readRecords'
const COURSE = {
  courseId: 'course-preflight',
  name: 'Preflight',
  organisation: 'sandhills',
  lessons: 5,
  lessonsPassed: 1,
  completed: false,
  completedDate: null,
  score: 92,
}
const info = { readiness: 0.82, reviewed: MOMENT }

/** What people read about these operations. */
export const examples = {
  readRecords: {
    description:
      'What the people of the plugin’s organisations have learned and can do: a plain array, a page at a time, always in the same order. A page with fewer entries than `limit` is the last. An organisation that the plugin was not given is treated as unknown.',
    example: {
      request: { orgIds: 'sandhills', limit: 100 },
      answer: [
        {
          userId,
          dutyTitle: '',
          afsc: '11F3',
          education: ['BSc Aeronautics, Lund'],
          courses: [COURSE],
          badges: [],
          skills: ['radio navigation'],
        },
      ],
    },
  },
  setAdditionalInfo: {
    description:
      'One JSON value for each person; a new one replaces it. No other plugin and no app can read it; the person finds it in the download of their data.',
    example: { request: { userId, info }, answer: { userId, info, updatedDate: MOMENT }, after },
  },
  readOtherSkills: {
    description:
      'Hobbies and skills of a person of the plugin’s organisations, in their own words. Both lists are empty until they set them.',
    example: {
      request: { userId },
      answer: { userId, hobbies: ['gliding'], skills: ['radio navigation'] },
      after,
    },
  },
}
