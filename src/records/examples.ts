import { MOMENT, PLUGIN_USER_ID } from '../samples.ts'

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
      'What the people of the plugin’s organisations have learned and can do, in a plain array, a page at a time and always in the same order. The end is reached when a page has fewer entries than `limit`. An organisation that the plugin was not given is answered like one that does not exist.',
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
      'One record of any JSON for each person, which replaces the one before. No other plugin and no app reads it; the person finds it in the download of their data.',
    example: { request: { userId, info }, answer: { userId, info, updatedDate: MOMENT }, after },
  },
  readOtherSkills: {
    description:
      'Hobbies and skills of a person of the plugin’s organisations, in their own words. Both lists are empty until they have set them.',
    example: {
      request: { userId },
      answer: { userId, hobbies: ['gliding'], skills: ['radio navigation'] },
      after,
    },
  },
}
