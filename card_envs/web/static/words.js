// Words of the page itself, in the order en, de, fr, it. Words of the games come from the server.
const LANGUAGES = ["en", "de", "fr", "it"];
const WORDS = {
  home: ["Home", "Start", "Accueil", "Inizio"],
  intro: ["Play against agents, invite others, or watch agents play.", "Spiele gegen Agenten, lade andere ein oder sieh Agenten zu.", "Jouez contre des agents, invitez d'autres personnes ou regardez jouer des agents.", "Gioca contro agenti, invita altre persone o guarda giocare gli agenti."],
  language: ["Language", "Sprache", "Langue", "Lingua"],
  theme: ["Light or dark", "Hell oder dunkel", "Clair ou sombre", "Chiaro o scuro"],
  newGame: ["New game", "Neues Spiel", "Nouvelle partie", "Nuova partita"],
  game: ["Game", "Spiel", "Jeu", "Gioco"],
  players: ["Players", "Spieler", "Joueurs", "Giocatori"],
  seat: ["Seat {0}", "Platz {0}", "Place {0}", "Posto {0}"],
  me: ["You", "Du", "Toi", "Tu"],
  person: ["Another person (invited)", "Eine andere Person (eingeladen)", "Une autre personne (invitée)", "Un'altra persona (invitata)"],
  play: ["Play", "Spielen", "Jouer", "Gioca"],
  watch: ["Watch", "Zusehen", "Regarder", "Guarda"],
  dealing: ["Dealing… the first game of a kind can take a minute", "Es wird gegeben… das erste Spiel einer Art kann eine Minute dauern", "Distribution… la première partie d'un jeu peut prendre une minute", "Si distribuisce… la prima partita di un gioco può richiedere un minuto"],
  yourGames: ["Your games", "Deine Spiele", "Tes parties", "Le tue partite"],
  none: ["none yet", "noch keine", "aucune pour l'instant", "ancora nessuna"],
  continue: ["Continue", "Weiter", "Continuer", "Continua"],
  forget: ["Remove from the list", "Aus der Liste entfernen", "Retirer de la liste", "Togli dalla lista"],
  tournaments: ["Tournaments", "Turniere", "Tournois", "Tornei"],
  standings: ["Standings", "Tabelle", "Classement", "Classifica"],
  agent: ["Agent", "Agent", "Agent", "Agente"],
  rating: ["Rating", "Wertung", "Cote", "Punteggio"],
  winShare: ["Win share", "Siegesanteil", "Part de victoires", "Quota di vittorie"],
  points: ["Points", "Punkte", "Points", "Punti"],
  rank: ["Rank", "Rang", "Rang", "Posizione"],
  games: ["Games", "Spiele", "Parties", "Partite"],
  interval: ["95 % interval", "95-%-Intervall", "intervalle à 95 %", "intervallo del 95 %"],
  openGame: ["Open a game by its number (0 to {0})", "Ein Spiel nach Nummer öffnen (0 bis {0})", "Ouvrir une partie par son numéro (0 à {0})", "Apri una partita con il suo numero (da 0 a {0})"],
  open: ["Open", "Öffnen", "Ouvrir", "Apri"],
  yourTurn: ["Your turn: click in the picture or choose a move", "Du bist dran: klick ins Bild oder wähle einen Zug", "À toi : clique dans l’image ou choisis un coup", "Tocca a te: fai clic nell’immagine o scegli una mossa"],
  waiting: ["Waiting for player {0}", "Warten auf Spieler {0}", "En attente du joueur {0}", "In attesa del giocatore {0}"],
  waitingSeats: ["The game begins when everybody has sat down. Send these links:", "Das Spiel beginnt, wenn alle sitzen. Schick diese Links:", "La partie commence quand tous sont assis. Envoie ces liens :", "La partita comincia quando tutti sono seduti. Manda questi link:"],
  waitingOthers: ["The game begins when everybody has sat down.", "Das Spiel beginnt, wenn alle sitzen.", "La partie commence quand tous sont assis.", "La partita comincia quando tutti sono seduti."],
  over: ["The game is over", "Das Spiel ist aus", "La partie est finie", "La partita è finita"],
  moves: ["Your moves", "Deine Züge", "Tes coups", "Le tue mosse"],
  moveHint: ["Keys: number, arrows, Enter", "Tasten: Zahl, Pfeile, Enter", "Touches : chiffre, flèches, Entrée", "Tasti: numero, frecce, Invio"],
  chooseSecond: ["Now click the second one, or choose below", "Jetzt das Zweite anklicken oder unten wählen", "Clique maintenant le deuxième, ou choisis ci-dessous", "Ora fai clic sul secondo, o scegli sotto"],
  all: ["Show all", "Alle zeigen", "Tout montrer", "Mostra tutto"],
  log: ["What happened", "Was geschah", "Ce qui s'est passé", "Che cosa è successo"],
  player: ["player {0}", "Spieler {0}", "joueur {0}", "giocatore {0}"],
  you: ["you", "du", "toi", "tu"],
  coach: ["Coach", "Trainer", "Entraîneur", "Allenatore"],
  coachSays: ["What {0} would do here", "Was {0} hier täte", "Ce que ferait {0}", "Che cosa farebbe {0}"],
  rules: ["How to play", "So wird gespielt", "Comment jouer", "Come si gioca"],
  result: ["Result", "Ergebnis", "Résultat", "Risultato"],
  total: ["total", "Summe", "total", "totale"],
  again: ["Again with the same players", "Noch einmal mit denselben", "Encore avec les mêmes", "Ancora con gli stessi"],
  stepThrough: ["Step through the game", "Das Spiel durchgehen", "Revoir la partie", "Rivedi la partita"],
  view: ["Seen from", "Gesehen von", "Vu de", "Visto da"],
  table: ["the table", "dem Tisch", "la table", "il tavolo"],
  position: ["Position", "Stellung", "Position", "Posizione"],
  first: ["First position", "Erste Stellung", "Première position", "Prima posizione"],
  back: ["Back", "Zurück", "Reculer", "Indietro"],
  forward: ["Forward", "Weiter", "Avancer", "Avanti"],
  last: ["Last position", "Letzte Stellung", "Dernière position", "Ultima posizione"],
  run: ["Run", "Abspielen", "Lecture", "Riproduci"],
  pause: ["Pause", "Anhalten", "Pause", "Pausa"],
  speed: ["Moves per second", "Züge je Sekunde", "Coups par seconde", "Mosse al secondo"],
  lost: ["The server does not answer; trying again", "Der Server antwortet nicht; neuer Versuch", "Le serveur ne répond pas ; nouvel essai", "Il server non risponde; nuovo tentativo"],
  noKey: ["This browser has no key for this game.", "Dieser Browser hat keinen Schlüssel für dieses Spiel.", "Ce navigateur n'a pas la clé de cette partie.", "Questo browser non ha la chiave di questa partita."],
  copied: ["copied", "kopiert", "copié", "copiato"],
  copy: ["Copy link", "Link kopieren", "Copier le lien", "Copia il link"],
  seed: ["Seed {0}", "Seed {0}", "Graine {0}", "Seme {0}"],
};

let current = localStorage.getItem("card_envs.language") || "";
if (!LANGUAGES.includes(current)) {
  current = LANGUAGES.find((language) => navigator.language.toLowerCase().startsWith(language)) || "en";
}
document.documentElement.lang = current;

export const language = () => current;
export const languages = { en: "English", de: "Deutsch", fr: "Français", it: "Italiano" };

export function setLanguage(wanted) {
  current = wanted;
  localStorage.setItem("card_envs.language", wanted);
  document.documentElement.lang = wanted;
}

export function word(key, ...parts) {
  return WORDS[key][LANGUAGES.indexOf(current)].replace(/\{(\d)\}/g, (_, place) => parts[place]);
}
