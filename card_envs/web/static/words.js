// Words of the page itself, in the order en, de, fr, it. Words of the games come from the server.
const LANGUAGES = ["en", "de", "fr", "it"];
const WORDS = {
  intro: ["Three card games: play against agents, invite others, or watch agents play.", "Drei Kartenspiele: Spiele gegen Agenten, lade andere ein oder sieh Agenten zu.", "Trois jeux de cartes : joue contre des agents, invite d'autres personnes ou regarde jouer des agents.", "Tre giochi di carte: gioca contro agenti, invita altre persone o guarda giocare gli agenti."],
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
  forget: ["Remove from the list", "Aus der Liste entfernen", "Retirer de la liste", "Togli dalla lista"],
  tournaments: ["Tournaments", "Turniere", "Tournois", "Tornei"],
  standings: ["Standings", "Tabelle", "Classement", "Classifica"],
  agent: ["Agent", "Agent", "Agent", "Agente"],
  rating: ["Rating", "Wertung", "Cote", "Valutazione"],
  winShare: ["Win share", "Siegesanteil", "Part de victoires", "Quota di vittorie"],
  points: ["Points", "Punkte", "Points", "Punti"],
  rank: ["Rank", "Rang", "Rang", "Piazzamento"],
  games: ["Games", "Spiele", "Parties", "Partite"],
  manyGames: ["{0} game|{0} games", "{0} Spiel|{0} Spiele", "{0} partie|{0} parties", "{0} partita|{0} partite"],
  interval: ["95 % interval", "95-%-Intervall", "intervalle à 95 %", "intervallo del 95 %"],
  openGame: ["Open a game by its number (0 to {0})", "Ein Spiel nach Nummer öffnen (0 bis {0})", "Ouvrir une partie par son numéro (0 à {0})", "Apri una partita con il suo numero (da 0 a {0})"],
  open: ["Open", "Öffnen", "Ouvrir", "Apri"],
  yourTurn: ["Your turn", "Du bist dran", "À toi de jouer", "Tocca a te"],
  waiting: ["Waiting for {0}", "Warten auf {0}", "En attente de {0}", "In attesa di {0}"],
  waitingSeats: ["The game begins when everybody has sat down. Send these links:", "Das Spiel beginnt, wenn alle sitzen. Schick diese Links:", "La partie commence quand tous sont assis. Envoie ces liens :", "La partita comincia quando tutti sono seduti. Manda questi link:"],
  waitingOthers: ["Waiting for the others", "Warten auf die anderen", "En attente des autres", "In attesa degli altri"],
  othersMove: ["The others move…", "Die anderen ziehen…", "Les autres jouent…", "Gli altri giocano…"],
  over: ["The game is over", "Das Spiel ist aus", "La partie est finie", "La partita è finita"],
  moves: ["Your moves", "Deine Züge", "Tes coups", "Le tue mosse"],
  moveHint: ["Keys: number, arrows, Enter", "Tasten: Zahl, Pfeile, Enter", "Touches : chiffre, flèches, Entrée", "Tasti: numero, frecce, Invio"],
  chooseSecond: ["Now the second one", "Jetzt das Zweite", "Maintenant le deuxième", "Ora il secondo"],
  all: ["Show all", "Alle zeigen", "Tout montrer", "Mostra tutto"],
  log: ["What happened", "Was geschah", "Ce qui s'est passé", "Che cosa è successo"],
  player: ["Player {0}", "Spieler {0}", "Joueur {0}", "Giocatore {0}"],
  you: ["You", "Du", "Toi", "Tu"],
  coach: ["Coach", "Trainer", "Entraîneur", "Allenatore"],
  coachSays: ["What {0} would do here", "Was {0} hier täte", "Ce que ferait {0}", "Che cosa farebbe {0}"],
  rules: ["How to play", "So wird gespielt", "Comment jouer", "Come si gioca"],
  result: ["Result", "Ergebnis", "Résultat", "Risultato"],
  total: ["total", "Summe", "total", "totale"],
  again: ["Another game with the same players", "Noch ein Spiel mit denselben Spielern", "Encore une partie avec les mêmes joueurs", "Ancora una partita con gli stessi giocatori"],
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
  lost: ["The server does not answer. Trying again…", "Der Server antwortet nicht. Neuer Versuch…", "Le serveur ne répond pas. Nouvel essai…", "Il server non risponde. Nuovo tentativo…"],
  noKey: ["This browser has no key for this game.", "Dieser Browser hat keinen Schlüssel für dieses Spiel.", "Ce navigateur n'a pas la clé de cette partie.", "Questo browser non ha la chiave di questa partita."],
  copied: ["copied", "kopiert", "copié", "copiato"],
  copy: ["Copy link", "Link kopieren", "Copier le lien", "Copia il link"],
  seed: ["Seed {0}", "Seed {0}", "Graine {0}", "Seme {0}"],
  playNow: ["Play now", "Jetzt spielen", "Jouer tout de suite", "Gioca subito"],
  more: ["More: who plays, and with how many", "Mehr: wer mitspielt, und zu wievielt", "Plus : qui joue, et à combien", "Altro: chi gioca, e in quanti"],
  forPlayers: ["{0} players", "{0} Spieler", "{0} joueurs", "{0} giocatori"],
  turnsEach: ["about {0} turns each", "etwa {0} Züge für jeden", "environ {0} tours chacun", "circa {0} turni ciascuno"],
  yourName: ["Your name, for the others", "Dein Name, für die anderen", "Ton nom, pour les autres", "Il tuo nome, per gli altri"],
  turnHint: ["Click in the picture, or choose here.", "Klick ins Bild, oder wähle hier.", "Clique dans l'image, ou choisis ici.", "Fai clic nell'immagine, o scegli qui."],
  chooseFirst: ["Now two of the marked ones", "Jetzt zwei der markierten", "Maintenant, deux parmi les marqués", "Ora due di quelli segnati"],
  takeBack: ["Take back my move", "Meinen Zug zurücknehmen", "Reprendre mon coup", "Riprendi la mia mossa"],
  pace: ["Others' moves", "Züge der anderen", "Coups des autres", "Mosse degli altri"],
  paces: ["at once|fast|normal|slow", "sofort|schnell|normal|langsam", "immédiats|rapides|normaux|lents", "subito|veloci|normali|lente"],
  options: ["{0} ways", "{0} Möglichkeiten", "{0} possibilités", "{0} modi"],
  details: ["How the points came about", "Woher die Punkte kommen", "D'où viennent les points", "Da dove vengono i punti"],
  rematch: ["The others want another game: join", "Die anderen wollen noch ein Spiel: mitspielen", "Les autres veulent rejouer : rejoindre", "Gli altri vogliono rigiocare: partecipa"],
  otherGame: ["Choose another game", "Ein anderes Spiel wählen", "Choisir un autre jeu", "Scegli un altro gioco"],
  gotIt: ["Got it", "Verstanden", "Compris", "Capito"],
  noNotes: ["No more notes", "Keine Hinweise mehr", "Plus de conseils", "Niente più consigli"],
  note: ["Your first game", "Dein erstes Spiel", "Ta première partie", "La tua prima partita"],
  kept: ["The server does not answer. Your move is kept and sent when it is back: {0}", "Der Server antwortet nicht. Dein Zug ist gemerkt und wird gesendet, sobald der Server wieder da ist: {0}", "Le serveur ne répond pas. Ton coup est gardé et sera envoyé dès que le serveur sera de retour : {0}", "Il server non risponde. La tua mossa è conservata e sarà inviata quando il server tornerà: {0}"],
  usedInvitation: ["This invitation has been used already, or was for another game.", "Diese Einladung wurde schon benutzt oder war für ein anderes Spiel.", "Cette invitation a déjà servi, ou était pour une autre partie.", "Questo invito è già stato usato, o era per un'altra partita."],
  onlyHere: ["These links work on this computer only. For others, start the server with card-envs web --host 0.0.0.0 and open the address that it prints.", "Diese Links gehen nur auf diesem Computer. Für andere starte den Server mit card-envs web --host 0.0.0.0 und öffne die Adresse, die er nennt.", "Ces liens ne marchent que sur cet ordinateur. Pour les autres, lance le serveur avec card-envs web --host 0.0.0.0 et ouvre l'adresse qu'il affiche.", "Questi link funzionano solo su questo computer. Per gli altri avvia il server con card-envs web --host 0.0.0.0 e apri l'indirizzo che indica."],
  moveList: ["Moves", "Züge", "Coups", "Mosse"],
};

let current = localStorage.getItem("card_envs.language") || "";
if (!LANGUAGES.includes(current)) {
  current = LANGUAGES.find((language) => navigator.language.toLowerCase().startsWith(language)) || "en";
}
document.documentElement.lang = current;

// Pages with many words of their own bring them along.
export const addWords = (more) => Object.assign(WORDS, more);

export const language = () => current;
export const languages = { en: "English", de: "Deutsch", fr: "Français", it: "Italiano" };

export function setLanguage(wanted) {
  current = wanted;
  localStorage.setItem("card_envs.language", wanted);
  document.documentElement.lang = wanted;
}

// "one|several": by the number, which is {0}. In French zero is singular.
export function counted(key, count) {
  const [one, several] = word(key, count).split("|");
  return count === 1 || (count === 0 && current === "fr") ? one : several;
}

export function word(key, ...parts) {
  return WORDS[key][LANGUAGES.indexOf(current)].replace(/\{(\d)\}/g, (_, place) => parts[place]);
}
